/** The records of exports and backups. Values, without threads, input or output. */
@NullMarked
package io.cloudmw.core.backup;

import org.jspecify.annotations.NullMarked;
