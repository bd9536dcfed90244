/**
 * Decides where a process listens and which address it advertises to others. {@code AddressPolicy} is confined to one
 * thread; everything else is immutable and safe for any thread.
 */
@NullMarked
package io.cloudmw.core.address;

import org.jspecify.annotations.NullMarked;
