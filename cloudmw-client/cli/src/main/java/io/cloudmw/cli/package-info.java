/** The {@code cloudmw} command: its entry point, its help and the assembly of its commands. */
@NullMarked
package io.cloudmw.cli;

import org.jspecify.annotations.NullMarked;
