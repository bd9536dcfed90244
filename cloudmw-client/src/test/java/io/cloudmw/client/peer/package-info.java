@NullMarked
package io.cloudmw.client.peer;

import org.jspecify.annotations.NullMarked;
