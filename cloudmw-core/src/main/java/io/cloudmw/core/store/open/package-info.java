/** Puts the kinds of stores together: the one room that knows them all. Safe for any thread. */
@NullMarked
package io.cloudmw.core.store.open;

import org.jspecify.annotations.NullMarked;
