/** Tests of open files. */
@NullMarked
package io.cloudmw.client.handle;

import org.jspecify.annotations.NullMarked;
