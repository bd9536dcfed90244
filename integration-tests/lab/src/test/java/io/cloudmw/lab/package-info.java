/** Tests of the lab's options. */
@NullMarked
package io.cloudmw.lab;

import org.jspecify.annotations.NullMarked;
