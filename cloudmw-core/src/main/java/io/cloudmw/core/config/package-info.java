/**
 * Settings: read in one pass at start-up, from which each component makes its one immutable record. Confined to the
 * thread that starts the process.
 */
@NullMarked
package io.cloudmw.core.config;

import org.jspecify.annotations.NullMarked;
