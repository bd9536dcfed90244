/** Tests of the torture test's network. */
@NullMarked
package io.cloudmw.lab.torture.network;

import org.jspecify.annotations.NullMarked;
