@NullMarked
package io.cloudmw.client.pack;

import org.jspecify.annotations.NullMarked;
