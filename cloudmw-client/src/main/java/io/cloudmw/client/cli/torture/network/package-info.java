/**
 * Connections between the processes of a fleet on loopback, that can be cut between two of them by name: every address a
 * process is given leads through here. Forwarding runs on event loops of its own, which never block.
 */
@NullMarked
package io.cloudmw.client.cli.torture.network;

import org.jspecify.annotations.NullMarked;
