package io.cloudmw.client.embedding;

/** A system property that is set only while a library starts, and only where the application has not set it. */
final class TemporaryProperty {
    private TemporaryProperty() {}

    /** Does nothing where the property has a value, which is the application's choice. */
    static void set(String name, String value, Runnable start) {
        if (System.getProperty(name) != null) {
            return;
        }
        System.setProperty(name, value);
        try {
            start.run();
        } finally {
            System.clearProperty(name);
        }
    }
}
