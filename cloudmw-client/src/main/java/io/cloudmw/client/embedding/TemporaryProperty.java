package io.cloudmw.client.embedding;

/** A system property that has a value while a library starts, and that nobody else has set. */
final class TemporaryProperty {
    private TemporaryProperty() {}

    /** Does nothing where the property has a value: that is the application's choice. */
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
