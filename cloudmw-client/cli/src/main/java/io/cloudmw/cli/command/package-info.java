/** The base of every command: its client, its options, its exit codes, its interruption. */
@NullMarked
package io.cloudmw.cli.command;

import org.jspecify.annotations.NullMarked;
