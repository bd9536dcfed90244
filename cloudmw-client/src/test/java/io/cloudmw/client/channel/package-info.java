/** Tests of channels and streams. */
@NullMarked
package io.cloudmw.client.channel;

import org.jspecify.annotations.NullMarked;
