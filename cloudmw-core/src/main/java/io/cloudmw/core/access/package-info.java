/**
 * How processes get into stores: where the credentials of a store are found, and what keeps a process out. Immutable values; the
 * catalog and the wire carry references, never secrets.
 */
@NullMarked
package io.cloudmw.core.access;

import org.jspecify.annotations.NullMarked;
