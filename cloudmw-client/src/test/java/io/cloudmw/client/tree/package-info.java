/** Tests of copies of directories. */
@NullMarked
package io.cloudmw.client.tree;

import org.jspecify.annotations.NullMarked;
