@NullMarked
package io.cloudmw.client.cli.torture;

import org.jspecify.annotations.NullMarked;
