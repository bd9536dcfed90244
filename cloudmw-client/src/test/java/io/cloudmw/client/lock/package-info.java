@NullMarked
package io.cloudmw.client.lock;

import org.jspecify.annotations.NullMarked;
