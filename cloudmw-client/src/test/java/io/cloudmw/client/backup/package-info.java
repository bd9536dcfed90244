@NullMarked
package io.cloudmw.client.backup;

import org.jspecify.annotations.NullMarked;
