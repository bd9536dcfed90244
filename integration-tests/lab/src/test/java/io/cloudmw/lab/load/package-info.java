@NullMarked
package io.cloudmw.lab.load;

import org.jspecify.annotations.NullMarked;
