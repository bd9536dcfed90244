/**
 * The chunk server of a client that serves other clients: chunks on its disk, uploads, announcements. Safe for any
 * thread.
 */
@NullMarked
package io.cloudmw.client.peer.server;

import org.jspecify.annotations.NullMarked;
