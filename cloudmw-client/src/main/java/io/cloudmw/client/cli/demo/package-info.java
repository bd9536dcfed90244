/**
 * {@code cloudmw demo}: the main job on a fleet of processes on this machine, with one of them killed on the way. One
 * thread drives; the transfer's listener only takes notes.
 */
@NullMarked
package io.cloudmw.client.cli.demo;

import org.jspecify.annotations.NullMarked;
