/** Tests of the base of commands. */
@NullMarked
package io.cloudmw.cli.command;

import org.jspecify.annotations.NullMarked;
