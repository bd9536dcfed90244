/**
 * The server processes' command line: the only place that parses arguments and ends the process.
 */
@NullMarked
package io.cloudmw.helper.cli;

import org.jspecify.annotations.NullMarked;
