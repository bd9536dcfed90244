@NullMarked
package io.cloudmw.core.status.collect;

import org.jspecify.annotations.NullMarked;
