/** The command line as its users see it: output and exit codes. */
@NullMarked
package io.cloudmw.cli;

import org.jspecify.annotations.NullMarked;
