/** The contract of file systems of the JDK, for the default one and for that of a volume. */
@NullMarked
package io.cloudmw.it.nio;

import org.jspecify.annotations.NullMarked;
