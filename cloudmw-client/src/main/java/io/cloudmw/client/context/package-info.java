/**
 * The resources that all transfers of one client share: connections, threads, memory, measured speeds and prices. Every
 * class is safe for any thread, except that a {@link io.cloudmw.client.context.ConfinedTransfer} keeps its state to its
 * serial executor.
 */
@NullMarked
package io.cloudmw.client.context;

import org.jspecify.annotations.NullMarked;
