/**
 * Access to stores: the references to their credentials, and the faults that keep a process out. Immutable values; the
 * catalog and the wire carry references, never secrets.
 */
@NullMarked
package io.cloudmw.core.access;

import org.jspecify.annotations.NullMarked;
