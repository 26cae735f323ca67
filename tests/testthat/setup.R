# Plots of the tests go nowhere.
grDevices::pdf(NULL)
