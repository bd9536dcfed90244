package io.cloudmw.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The file I/O on a class path that has Iceberg and no Hadoop, as that of Trino. */
final class ClassPathTest {
    private static final String NO_NATIVE = "io.netty.transport.noNative";

    /** A JVM binds Netty's native code to one class loader, and other tests need it. */
    @BeforeEach
    void leaveNativeCodeToOtherTests() {
        System.setProperty(NO_NATIVE, "true");
    }

    @AfterEach
    void allowNativeCode() {
        System.clearProperty(NO_NATIVE);
    }

    private static URLClassLoader withoutHadoop() throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!entry.contains("/org/apache/hadoop/") && !entry.contains("reload4j")) {
                urls.add(new File(entry).toURI().toURL());
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    @Test
    void hadoopIsNotNeeded() throws IOException, ReflectiveOperationException {
        try (URLClassLoader loader = withoutHadoop()) {
            assertThatThrownBy(() -> loader.loadClass("org.apache.hadoop.fs.FileSystem"))
                    .isInstanceOf(ClassNotFoundException.class);
            Class<?> type = loader.loadClass(CloudMwFileIO.class.getName());
            assertThat(type).isNotSameAs(CloudMwFileIO.class);
            Object io = type.getConstructor().newInstance();
            assertThat(type.getMethod("initialize", Map.class).invoke(io, Map.of("cloudmw.memory", "8m")))
                    .isNull();
            Object file = type.getMethod("newInputFile", String.class, long.class)
                    .invoke(io, "cloudmw://127.0.0.1:1/lake/file", 5L);
            assertThat(loader.loadClass("org.apache.iceberg.io.InputFile")
                            .getMethod("getLength")
                            .invoke(file))
                    .isEqualTo(5L);
            assertThat(type.getMethod("close").invoke(io)).isNull();
        }
    }
}
