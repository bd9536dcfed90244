/** Tests of the shared resources. */
@NullMarked
package io.cloudmw.client.context;

import org.jspecify.annotations.NullMarked;
