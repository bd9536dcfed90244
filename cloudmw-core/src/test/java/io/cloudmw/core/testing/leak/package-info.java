/** Has the tests of every module fail where Netty's leak detector reports something. Any thread. */
@NullMarked
package io.cloudmw.core.testing.leak;

import org.jspecify.annotations.NullMarked;
