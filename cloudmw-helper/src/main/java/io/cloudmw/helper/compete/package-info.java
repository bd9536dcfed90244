/**
 * Transfers at a helper: they drive {@link io.cloudmw.core.race.Race} with I/O. Each transfer is confined to a serial executor.
 */
@NullMarked
package io.cloudmw.helper.compete;

import org.jspecify.annotations.NullMarked;
