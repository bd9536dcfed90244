/**
 * The command line of the server processes. Only this room parses arguments and ends the process. Confined to the main
 * thread, except shutdown hooks.
 */
@NullMarked
package io.cloudmw.helper.cli;

import org.jspecify.annotations.NullMarked;
