/** Tests of paths and patterns. */
@NullMarked
package io.cloudmw.client.nio;

import org.jspecify.annotations.NullMarked;
