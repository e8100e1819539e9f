"""What all commands share: settings and services, printing, input, progress, and being stopped."""
