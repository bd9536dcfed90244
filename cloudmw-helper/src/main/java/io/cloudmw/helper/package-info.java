/** Root. */
@NullMarked
package io.cloudmw.helper;

import org.jspecify.annotations.NullMarked;
