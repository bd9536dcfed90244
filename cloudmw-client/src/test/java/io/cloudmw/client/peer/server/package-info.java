@NullMarked
package io.cloudmw.client.peer.server;

import org.jspecify.annotations.NullMarked;
