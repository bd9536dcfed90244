/**
 * What shells and {@code man} need to know of the command: completion scripts and manual pages, made of its picocli model.
 * Pure functions: any thread.
 */
@NullMarked
package io.cloudmw.client.cli.shell;

import org.jspecify.annotations.NullMarked;
