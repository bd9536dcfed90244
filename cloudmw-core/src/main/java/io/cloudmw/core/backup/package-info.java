/** The records of exports and backups. Immutable values. */
@NullMarked
package io.cloudmw.core.backup;

import org.jspecify.annotations.NullMarked;
