/** The public API for clients that serve other clients. Safe for any thread. */
@NullMarked
package io.cloudmw.client.peer;

import org.jspecify.annotations.NullMarked;
