@NullMarked
package io.cloudmw.client.backup.run;

import org.jspecify.annotations.NullMarked;
