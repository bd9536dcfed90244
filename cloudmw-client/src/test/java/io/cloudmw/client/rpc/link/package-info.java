/** Tests of the links to helpers. */
@NullMarked
package io.cloudmw.client.rpc.link;

import org.jspecify.annotations.NullMarked;
