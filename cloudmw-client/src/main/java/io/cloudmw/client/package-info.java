/** Root. */
@NullMarked
package io.cloudmw.client;

import org.jspecify.annotations.NullMarked;
