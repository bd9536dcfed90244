@NullMarked
package io.cloudmw.client.cli.torture.network;

import org.jspecify.annotations.NullMarked;
