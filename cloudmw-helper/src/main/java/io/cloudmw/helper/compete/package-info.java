/**
 * Drives {@link io.cloudmw.core.race.Race} with I/O: one transfer is confined to one serial executor.
 */
@NullMarked
package io.cloudmw.helper.compete;

import org.jspecify.annotations.NullMarked;
