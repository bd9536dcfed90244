/**
 * The choice of the address on which a process listens and of the one that it advertises. {@code AddressPolicy} is
 * confined to one thread; everything else is immutable and safe for any thread.
 */
@NullMarked
package io.cloudmw.core.address;

import org.jspecify.annotations.NullMarked;
