/** The network of the torture test: proxies that delay, cut and restore connections. */
@NullMarked
package io.cloudmw.lab.torture.network;

import org.jspecify.annotations.NullMarked;
