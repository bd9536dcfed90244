/**
 * Descriptions of the command for shells and {@code man}: completion scripts and manual pages, made of its picocli
 * model.
 * Pure functions: any thread.
 */
@NullMarked
package io.cloudmw.client.cli.shell;

import org.jspecify.annotations.NullMarked;
